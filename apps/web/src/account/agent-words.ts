/** Browsers by what their user agent holds; each also names those below it, so that the first that fits is it. */
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

const found = (table: readonly (readonly [string, string])[], agent: string): string | undefined =>
  table.find(([part]) => agent.includes(part))?.[1];

/** A user agent in words, "Firefox on Linux"; one that names no browser as it stands, cut short. */
export function agentWords(agent: string): string {
  const [browser, system] = [found(BROWSERS, agent), found(SYSTEMS, agent)];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  if (agent.trim() === '') return 'A program without a name';
  return agent.length > MAX_SHOWN ? `${agent.slice(0, MAX_SHOWN)}…` : agent;
}
