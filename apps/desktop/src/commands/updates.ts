import path from 'node:path';
import { parseArgs } from 'node:util';
import type { StaleHead, WaitingChanges } from '@svc/runtime';
import { visible } from '@svc/text';
import type { RunningDesktop } from '../control/find-running-desktop.ts';
import { findOrStartDesktop } from '../gateway/find-or-start-desktop.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { isAgreed } from './connect.ts';
import { defaultFolder, storeOf } from './options.ts';

export const usage = 'Usage: svc updates [accept APP | reject APP] [--json] [--folder DIR] [--store URL]';

const OPTIONS = {
  json: { type: 'boolean', default: false },
  folder: { type: 'string' },
  store: { type: 'string' },
} as const;

type Decision = { as: 'accept' | 'reject'; appId: string };

function parsed(words: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
    const [as, appId, ...more] = positionals;
    if (as === undefined) return { ...values, decision: null };
    if ((as !== 'accept' && as !== 'reject') || appId === undefined || more.length > 0) throw new Error();
    const decision: Decision = { as, appId };
    return { ...values, decision };
  } catch {
    throw new UsageError(usage);
  }
}

/** A value of a server, on lines of its own. No line of it looks like one of svc: each begins with the sign. */
const valueLines = (sign: string, value: unknown): string[] =>
  value === null
    ? []
    : (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
        .split('\n')
        .map((line) => `    ${sign} ${visible(line)}`);

function changesText({ appId, name, since, recorded, rejected, changes }: WaitingChanges): string[] {
  const what =
    recorded.length > 0
      ? 'the server differs from what the store recorded'
      : 'the server changed what it lists';
  return [
    `${visible(name)} (${visible(appId)}): ${what}. Seen ${since}.`,
    ...changes.flatMap(({ of, tool, path: pointer, before, after }) => [
      `  ${of} ${visible(tool)} ${visible(pointer)}`.trimEnd(),
      ...valueLines('-', before),
      ...valueLines('+', after),
    ]),
    rejected
      ? `  You rejected this. Accept it all the same: svc updates accept ${visible(appId)}`
      : `  Until you accept, models and pages use the lines with "-". Decide: svc updates accept ${visible(appId)}, or svc updates reject ${visible(appId)}`,
  ];
}

const staleText = ({ store, appId, signedAt, receivedAt }: StaleHead): string =>
  `${visible(appId)}: at ${receivedAt} ${visible(store)} offered a list of versions that was signed at ${signedAt}. It should be an hour old at most: the store, or a proxy or mirror in between, may hold back updates. The installed version goes on working. Check for updates again later; if this stays, contact the operator of the store.`;

async function show({ say }: CommandContext, running: RunningDesktop, json: boolean): Promise<number> {
  const { changes, stale } = await running.updates();
  if (json) say(JSON.stringify({ changes, stale }));
  else if (changes.length + stale.length === 0) say('Nothing waits for you.');
  else for (const line of [...changes.flatMap(changesText), ...stale.map(staleText)]) say(line);
  return 0;
}

/** Rejecting keeps what is. Accepting changes what models follow, so a person must answer: agents run commands too. */
async function decide(
  context: CommandContext,
  running: RunningDesktop,
  { as, appId }: Decision,
): Promise<number> {
  const waiting = (await running.updates()).changes.find((one) => one.appId === appId);
  if (!waiting) throw new UsageError(`Nothing of ${visible(appId)} waits for you.`);
  for (const line of changesText(waiting).slice(0, -1)) context.say(line);
  if (as === 'accept' && !context.isTerminal)
    throw new UsageError('Accept in a terminal, or on the page of the app in the desktop.');
  if (as === 'accept' && !(await isAgreed(context, 'Accept these changes?'))) {
    context.say('Nothing was changed.');
    return 1;
  }
  try {
    await running.decide(waiting, as);
  } catch (error) {
    context.warn((error as Error).message);
    return 1;
  }
  context.say(as === 'accept' ? 'Accepted.' : 'Rejected. Models keep reading what you accepted before.');
  return 0;
}

/** `updates`: shows what servers and stores changed and the user has not decided about, and takes the decision. */
export const run: Command = async (context, words) => {
  const { json, folder: chosen, store, decision } = parsed(words);
  const folder = chosen === undefined ? defaultFolder(context, 'desktop') : path.resolve(chosen);
  const running = await findOrStartDesktop(context, folder, {
    store: storeOf(context, store),
    localApps: false,
    localConnectors: false,
  });
  return decision === null ? show(context, running, json) : decide(context, running, decision);
};
