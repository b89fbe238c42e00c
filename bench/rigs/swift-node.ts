import process from "node:process";
import { systemClock } from "#hosts/ports/clock.ts";
import { createSwiftClock } from "#service/testing/swift-clock.ts";

/** Runs the Node host with a clock that is CLOCK_FACTOR times as fast while it waits. */
Object.assign(systemClock, createSwiftClock(Number(process.env["CLOCK_FACTOR"])));
await import("#hosts/node/main.ts");
