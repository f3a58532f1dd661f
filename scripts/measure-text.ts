import { readArguments, refuseWords } from './read-arguments.ts';
import { figuresTable, measureText } from './text/measure.ts';

const USAGE = `usage: npm run measure:text [-- --missed]

Measures what the checks of names are worth, as docs/text.md has it. --missed lists what was not found.
`;

const isMissedListed = readArguments(USAGE, { missed: { type: 'boolean' } }, (parsed) => {
  refuseWords(parsed);
  return parsed.values.missed === true;
});
const figures = measureText();
process.stdout.write(`${figuresTable(figures)}\n`);
if (isMissedListed) {
  const { peopleRefused, appsRefused, missed } = figures;
  for (const name of [...peopleRefused, ...appsRefused, ...missed])
    process.stdout.write(`${JSON.stringify(name)}\n`);
}
