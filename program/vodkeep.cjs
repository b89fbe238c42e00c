#!/usr/bin/env node
// The package's `bin`: runs the program with the server's memory settings. Also read by versions of Node that cannot parse the rest: old syntax only.

var spawn = require("child_process").spawn;
var path = require("path");
var memory = require("./server-memory.cjs");

/** The build's target (scripts/node-bundle.mjs). */
var OLDEST_NODE = 24;

var env = Object.assign({}, memory.SERVER_ALLOCATOR, process.env);
var args = memory.SERVER_FLAGS.concat(path.join(__dirname, "main.js"), process.argv.slice(2));

if (parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(
    "Vodkeep needs Node " +
      OLDEST_NODE +
      " or later, and this is Node " +
      process.versions.node +
      ": install it from https://nodejs.org/en/download, or run vodkeep with npx --package=node@" +
      OLDEST_NODE +
      " --package=vodkeep vodkeep.",
  );
  process.exit(1);
}
var node = process.execPath;
// Takes this process's place, so that signals, exit codes and memory are those of one process.
if (process.execve) process.execve(node, [node].concat(args), env);
else follow(spawn(node, args, { env: env, stdio: "inherit" }));

function follow(child) {
  ["SIGINT", "SIGTERM", "SIGHUP"].forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.once("exit", function (code) {
    process.exit(code === null ? 1 : code);
  });
}
