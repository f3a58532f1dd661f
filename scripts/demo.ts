import { createInterface } from 'node:readline';
import { type Demo, openDemo } from './demo/open-demo.ts';
import { readArguments, refuseWords } from './read-arguments.ts';

const USAGE = `usage: npm run demo [-- --no-open]

Starts a store with some apps, an example app with its servers, and the desktop client, and opens the latter in the browser.
Everything begins from nothing, and is gone when it ends.
`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const tour = ({ desktop, store, setup, pinboard }: Demo) => `
  Desktop: ${desktop}
  Store: ${store}
  To become its administrator, open: ${setup}
  Pinboard, the example app: ${pinboard}

Five minutes. The desktop opens on a conversation that says the same:
  1. Find Pinboard in the Store, read what it may do, and install it.
  2. Back in Chat, drop two pictures in and write: pin these two pictures to my board
     A script answers, not an AI. Add a model of your own under Settings, Models.
  3. Connect the account in the conversation (any name will do), and approve there.
  4. Open Board beside the conversation.
  5. Come back here: type u and Enter for an update that asks for more, w and Enter to withdraw the app.

u  publishes an update      w  withdraws Pinboard      q  ends everything
`;

/** What one line typed does. @returns whether the demonstration goes on */
async function obey(demo: Demo, line: string): Promise<boolean> {
  const word = line.trim();
  if (word === 'q') return false;
  if (word === 'u') {
    await demo.publishUpdate();
    say('Pinboard 1.1.0 is published. In the desktop, look for updates.');
  } else if (word === 'w') {
    await demo.withdraw();
    say('Pinboard is withdrawn. Desktops see it within the hour, or at once when they are told to look.');
  } else if (word !== '') say('Type u, w or q.');
  return true;
}

const asked = readArguments(USAGE, { 'no-open': { type: 'boolean' } }, (parsed) => {
  refuseWords(parsed);
  return { open: parsed.values['no-open'] !== true };
});
const demo = await openDemo(asked);
say(tour(demo));

/** Obeys what is typed until that is enough. Where nobody can type, that is never. */
async function obeyLines(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const goesOn = await obey(demo, line).catch((error: Error) => {
      say(error.message);
      return true;
    });
    if (!goesOn) return;
  }
  await new Promise(() => undefined);
}

const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});
try {
  await Promise.race([obeyLines(), stopped]);
} finally {
  await demo.close();
}
process.exit(0);
