import { spawn } from 'node:child_process';
import { bareEnvironment } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { onTestFinished } from 'vitest';
import type { DesktopEvent } from '../../src/wire/events.ts';
import { openPage } from './test-desktop.ts';

/**
 * Starts a desktop in its own process, and opens a page. It ends with the test.
 * @param words the program and its arguments; it prints the link of its page
 */
export async function startDesktop(words: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const env = { ...bareEnvironment(), ...more };
  const child = spawn(process.execPath, words, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  /** What a line of its output says after this word. */
  const line = (word: string) =>
    eventually(() => {
      const found = new RegExp(`^${word}: (.*)$`, 'm').exec(said)?.[1];
      if (found === undefined) throw new Error(`The desktop has not said "${word}" yet.`);
      return found;
    });
  const link = await line('Desktop');
  return {
    child,
    said: () => said,
    line,
    page: await openPage({ opened: { newLink: () => link }, port: Number(new URL(link).port) }),
  };
}

export type DesktopProcess = Awaited<ReturnType<typeof startDesktop>>;

/** Accepts the next card of this kind. @param heard the events of the page since before it was shown */
export async function acceptNext(
  { page }: Pick<DesktopProcess, 'page'>,
  heard: readonly DesktopEvent[],
  kind: string,
): Promise<void> {
  const { id, card } = await eventually(() => {
    const shown = heard.flatMap((event) => (event.type === 'card' ? [event.card] : []));
    const waiting = shown.find((one) => one.card.kind === kind);
    if (!waiting) throw new Error(`There is no ${kind} card yet.`);
    return waiting;
  });
  const answer = { accepted: true, ...('binding' in card && { binding: card.binding }) } as const;
  await page.call('cards.answer', { cardId: id, answer });
}
