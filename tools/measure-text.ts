import { readArguments, refuseWords } from './lib/read-arguments.ts';
import { alikeTable, measureAlike } from './text/alike.ts';
import { figuresTable, measureText } from './text/measure.ts';

const USAGE = `usage: npm run measure:text [-- --missed]

Measures the accuracy of the name checks for docs/project/text-figures.md. --missed lists the errors.
`;

const isMissedListed = readArguments(USAGE, { missed: { type: 'boolean' } }, (parsed) => {
  refuseWords(parsed);
  return parsed.values.missed === true;
});
const figures = measureText();
const alike = measureAlike();
process.stdout.write(`${figuresTable(figures)}\n\n${alikeTable(alike)}\n`);
if (isMissedListed) {
  const { peopleRefused, appsRefused, missed } = figures;
  for (const name of [...peopleRefused, ...appsRefused, ...missed])
    process.stdout.write(`${JSON.stringify(name)}\n`);
  for (const names of [
    ...alike.missed.map(({ of, name }) => [of, name]),
    ...alike.pairs,
    ...alike.beginnings,
  ])
    process.stdout.write(`${JSON.stringify(names)}\n`);
}
