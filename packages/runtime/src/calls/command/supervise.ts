import { spawn } from 'node:child_process';

// Runs the program of a connector, and ends it with all that it started: when it is told to, when the program ends, and when the
// client is gone, however that ended. Standard input, output and error are the program's own: nothing passes through here.

/** How long a program has to end once it is asked to, and how often the client is looked for, in milliseconds. */
const GRACE_MS = 1_000;
const LOOK_MS = 500;

/** The process id of the client, the program and its arguments. */
const [client = '', program = '', ...args] = process.argv.slice(2);

// A session and process group of its own (setsid in POSIX): a signal to the group reaches what the program started, too.
const child = spawn(program, args, { stdio: 'inherit', detached: true });

function signalAll(signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // All of it is gone already.
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
// Ctrl-C in the terminal of the client reaches this process as well. The client decides what it means.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

// A process whose parent is gone gets another one.
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
