import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allLocales } from '@faker-js/faker';
import { hiddenIn, isReservedName } from '../../packages/text/src/index.ts';
import { lookAlikes, RESERVED } from './look-alikes.ts';

const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Han', 'Arabic', 'Hebrew', 'Devanagari'] as const;

/** Corrupt entries of the lists: UTF-8 read as Latin-1, and a joiner after a space. They are refused correctly. */
const isCorrupt = (name: string): boolean => /\p{Cc}/u.test(name) || name.endsWith(' \u200c');

/** Common first names by language, from Faker. */
function firstNames(): string[] {
  const lists = Object.values(allLocales).flatMap(({ person }) => Object.values(person?.first_name ?? {}));
  return [...new Set(lists.flatMap((list) => list ?? []))].filter((name) => !isCorrupt(name));
}

/** Names of real apps, and a few invented ones with emoji. */
const appNames = (): string[] => [
  ...new Set(
    readFileSync(join(import.meta.dirname, 'app-names.txt'), 'utf8')
      .trim()
      .split(/[|\n]/),
  ),
];

const isRefused = (name: string): boolean =>
  hiddenIn(name) !== null ||
  RESERVED.some((reserved) => isReservedName(name, reserved) && !name.toLowerCase().includes(reserved));

/** The number of names in a script. */
const inScript = (names: readonly string[], script: string): number =>
  names.filter((name) => new RegExp(`\\p{Script=${script}}`, 'u').test(name)).length;

export const LOOK_ALIKES = 10_000;

/** Measures the name checks: legitimate names that are refused, and look-alikes that are not. */
export function measureText() {
  const people = firstNames();
  const apps = appNames();
  const missed = [...lookAlikes(LOOK_ALIKES)].filter(({ name, of }) => !isReservedName(name, of));
  const through = missed.filter(({ name }) => hiddenIn(name) === null);
  return {
    people: people.length,
    peopleByScript: Object.fromEntries(SCRIPTS.map((script) => [script, inScript(people, script)])),
    peopleRefused: people.filter(isRefused),
    apps: apps.length,
    appsWithEmoji: apps.filter((name) => /\p{Extended_Pictographic}|\p{RI}|\u20e3/u.test(name)).length,
    appsByScript: Object.fromEntries(SCRIPTS.map((script) => [script, inScript(apps, script)])),
    appsRefused: apps.filter(isRefused),
    missed: missed.map(({ name }) => name),
    through: through.map(({ name }) => name),
  };
}

type Figures = ReturnType<typeof measureText>;

const share = (missed: readonly string[]): string =>
  `${(100 - (100 * missed.length) / LOOK_ALIKES).toFixed(2)} %`;

const scriptsText = (byScript: Record<string, number>): string =>
  Object.entries(byScript)
    .map(([script, count]) => `${script} ${count}`)
    .join(', ');

/** The figures as the table of docs/project/text-figures.md. */
export const figuresTable = (figures: Figures): string =>
  [
    '| names | how many | refused |',
    '|---|---|---|',
    `| common first names (${scriptsText(figures.peopleByScript)}, and others) | ${figures.people} | ${figures.peopleRefused.length} |`,
    `| names of apps (${scriptsText(figures.appsByScript)}, with emoji ${figures.appsWithEmoji}) | ${figures.apps} | ${figures.appsRefused.length} |`,
    `| look-alikes of reserved names, found as reserved | ${LOOK_ALIKES} | ${share(figures.missed)} |`,
    `| the same, refused for that or for hidden characters | ${LOOK_ALIKES} | ${share(figures.through)} |`,
  ].join('\n');
