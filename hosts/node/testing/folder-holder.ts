import process from "node:process";
import { takeDataFolder } from "../data-folder.ts";

/** Locks the folder until it is killed. */
takeDataFolder(process.argv[2] ?? "");
process.stdout.write("taken\n");
setInterval(() => undefined, 60_000);
