import { syncBuiltinESMExports } from "node:module";
import process from "node:process";
import tls, { type ConnectionOptions } from "node:tls";

/**
 * Loaded into a process before its program: it leads every encrypted connection to a port of this
 * machine, as if the names of all hosts resolved to it. Certificates are checked as always.
 */
const port = Number(process.env["REROUTED_TO_PORT"]);
const { connect } = tls;

Object.assign(tls, {
  connect: (options: ConnectionOptions) =>
    connect({
      ...options,
      servername: options.servername ?? options.host ?? "",
      host: "127.0.0.1",
      port,
    }),
});
syncBuiltinESMExports();
