/**
 * Measures what the checks of names are worth, as docs/text.md has it: `npm run measure:text`.
 * With `--missed` it lists what was not found.
 */
import { figuresTable, measureText } from './text/measure.ts';

const figures = measureText();
process.stdout.write(`${figuresTable(figures)}\n`);
if (process.argv.includes('--missed')) {
  const { peopleRefused, appsRefused, missed } = figures;
  for (const name of [...peopleRefused, ...appsRefused, ...missed])
    process.stdout.write(`${JSON.stringify(name)}\n`);
}
