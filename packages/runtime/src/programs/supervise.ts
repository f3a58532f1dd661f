import { spawn } from 'node:child_process';

// Runs the program of a connector, and kills it with all its children on SIGTERM, when the program exits, and when the client process
// is gone. The program inherits standard input, output and error.

/** Time between SIGTERM and SIGKILL, and interval of the check whether the client is alive, in milliseconds. */
const GRACE_MS = 1_000;
const LOOK_MS = 500;

/** The process id of the client, the program and its arguments. */
const [client = '', program = '', ...args] = process.argv.slice(2);

// A new session and process group (POSIX setsid): a signal to the group reaches the children of the program too.
const child = spawn(program, args, { stdio: 'inherit', detached: true });

function signalAll(signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group no longer exists.
  }
}

let isEnding = false;
function end(): void {
  if (isEnding) return;
  isEnding = true;
  signalAll('SIGTERM');
  setTimeout(() => signalAll('SIGKILL'), GRACE_MS);
}

process.on('SIGTERM', end);
// Ctrl-C in the client's terminal reaches this process too. The client decides how to handle it.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

// An orphaned process gets another parent.
const look = setInterval(() => {
  if (process.ppid !== Number(client)) end();
}, LOOK_MS);

child.on('error', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exitCode = 127;
  clearInterval(look);
});
child.on('exit', (code) => {
  signalAll('SIGKILL');
  process.exit(code ?? 1);
});
