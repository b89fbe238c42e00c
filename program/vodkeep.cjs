#!/usr/bin/env node
// The package's `bin`: runs the program in a Node that is new enough, with the server's memory
// settings. Also read by versions of Node that cannot parse the rest: old syntax only.

var spawn = require("child_process").spawn;
var path = require("path");
var memory = require("./server-memory.cjs");

/** The build's target (scripts/node-bundle.mjs). */
var OLDEST_NODE = 24;

var env = Object.assign({}, memory.SERVER_ALLOCATOR, process.env);
var args = memory.SERVER_FLAGS.concat(path.join(__dirname, "main.js"), process.argv.slice(2));

try {
  var node = findNode();
  // Takes this process's place, so that signals, exit codes and memory are those of one process.
  if (node === process.execPath && process.execve) process.execve(node, [node].concat(args), env);
  else follow(spawn(node, args, { env: env, stdio: "inherit" }));
} catch (error) {
  explain(error);
}

function findNode() {
  if (parseInt(process.versions.node, 10) >= OLDEST_NODE) return process.execPath;
  return path.join(path.dirname(require.resolve("node/package.json")), "bin", "node");
}

function explain(error) {
  console.error(
    "Vodkeep needs Node " +
      OLDEST_NODE +
      " or later to run, and brings it when npm may install optional packages; this is Node " +
      process.versions.node +
      ". See https://nodejs.org/en/download. (" +
      error.message.split("\n")[0] +
      ")",
  );
  process.exit(1);
}

function follow(child) {
  ["SIGINT", "SIGTERM", "SIGHUP"].forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.once("error", explain);
  child.once("exit", function (code) {
    process.exit(code === null ? 1 : code);
  });
}
