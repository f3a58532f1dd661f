/** Browsers by a part of their user agent. Order matters: each also contains the parts of those below it. */
const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

const SYSTEMS = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['CrOS', 'ChromeOS'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

const MAX_SHOWN = 60;

const nameIn = (table: readonly (readonly [string, string])[], agent: string): string | undefined =>
  table.find(([part]) => agent.includes(part))?.[1];

/** A user agent in words, such as "Firefox on Linux"; an unknown one is shown unchanged, up to a maximum length. */
export function agentWords(agent: string): string {
  const [browser, system] = [nameIn(BROWSERS, agent), nameIn(SYSTEMS, agent)];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  if (agent.trim() === '') return 'Unknown client';
  return agent.length > MAX_SHOWN ? `${agent.slice(0, MAX_SHOWN)}…` : agent;
}
