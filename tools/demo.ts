import { createInterface } from 'node:readline';
import { DEFAULT_PORTS, type Demo, openDemo } from './demo/open-demo.ts';
import { readArguments, refuseWords } from './lib/read-arguments.ts';

const USAGE = `usage: npm run demo [-- --no-open] [-- --store-port PORT] [-- --app-port PORT] [-- --desktop-port PORT]

Starts a store with some apps, an example app with its servers, and the desktop client, and opens the desktop in the browser.
All data is temporary and is deleted at the end. The ports are 8787, 4680 and 8788, or free ones when these are in use.
`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const tour = ({ desktop, store, setup, pinboard }: Demo) => `
  Desktop: ${desktop}
  Store: ${store}
  To become its administrator, open: ${setup}
  MCP server of Pinboard, the example app: ${pinboard}

Try it in five minutes (the desktop shows these steps too):
  1. Find Pinboard in the Store, read its permissions, and install it.
  2. In Chat, add two pictures and write: pin these two pictures to my board
     A script answers, not an AI. Add your own model under Settings, Models.
  3. Connect the account in the conversation (any name works), and approve the call.
  4. Open the panel Board next to the conversation.
  5. In this terminal, type u and Enter for an update with new permissions, or w and Enter to yank the app.

u  publish an update      w  yank Pinboard      q  quit
`;

/** Runs the command in a line of input. @returns whether the demo continues */
async function runCommand(demo: Demo, line: string): Promise<boolean> {
  const word = line.trim();
  if (word === 'q') return false;
  if (word === 'u') {
    const isNew = await demo.publishUpdate();
    say(`Pinboard 1.1.0 is ${isNew ? '' : 'already '}published. In the desktop, check for updates.`);
  } else if (word === 'w') {
    const isNew = await demo.yank();
    say(
      `Pinboard is ${isNew ? '' : 'already '}yanked. Desktops disable it within an hour, or immediately when you check for updates.`,
    );
  } else if (word !== '') say('Type u, w or q.');
  return true;
}

const PORTS = { store: 'store-port', pinboard: 'app-port', desktop: 'desktop-port' } as const;

const options = readArguments(
  USAGE,
  {
    'no-open': { type: 'boolean' },
    'store-port': { type: 'string' },
    'app-port': { type: 'string' },
    'desktop-port': { type: 'string' },
  },
  (parsed) => {
    refuseWords(parsed);
    const ports = Object.entries(PORTS).flatMap(([name, option]) => {
      const text = parsed.values[option];
      if (text === undefined) return [];
      const port = Number(text);
      if (!/^\d+$/.test(text) || port < 1 || port > 65535)
        throw new TypeError(`--${option} must be a port, from 1 to 65535.`);
      return [[name, port]];
    });
    return {
      open: parsed.values['no-open'] !== true,
      ports: { ...DEFAULT_PORTS, ...Object.fromEntries(ports) },
    };
  },
);
const demo = await openDemo(options);
say(tour(demo));

/** Runs commands until `q`. Without input, never returns. */
async function runCommands(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const continues = await runCommand(demo, line).catch((error: Error) => {
      say(error.message);
      return true;
    });
    if (!continues) return;
  }
  await new Promise(() => undefined);
}

const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});
try {
  await Promise.race([runCommands(), stopped]);
} finally {
  await demo.close();
}
process.exit(0);
