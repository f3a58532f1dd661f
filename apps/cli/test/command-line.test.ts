import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addCommands } from '../src/command-line.ts';
import { COMMANDS } from '../src/commands/index.ts';
import { testCli, testContext } from './support/command-context.ts';

/** Splits an example into words, as a shell does. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/ > .*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );

describe.each(COMMANDS)('svc $name', ({ name, summary, load }) => {
  it('accepts each of its examples', async () => {
    const { command } = await load();
    const { context } = await testContext();
    for (const example of command.examples) {
      const words = wordsOf(example);
      expect(words[0]).toBe(name);
      const program = new Command().exitOverride().enablePositionalOptions();
      let runs = 0;
      const run = async () => {
        runs += 1;
        return 0;
      };
      const load = async () => ({ command: { ...command, run } });
      await addCommands(program, words, context, () => undefined, [{ name, summary, load }]);
      await program.parseAsync(words, { from: 'user' });
      expect(runs, example).toBe(1);
    }
  });

  it('shows its options and examples with --help, or passes --help to the desktop program', async () => {
    const { command } = await load();
    if (command.forwards) {
      const passed: unknown[] = [];
      const record = {
        ...command,
        run: async (_context: unknown, args: readonly unknown[]) => passed.push(args),
      };
      const program = new Command().exitOverride().enablePositionalOptions();
      const { context } = await testContext();
      const row = { name, summary, load: async () => ({ command: record }) };
      await addCommands(program, [name, '--help'], context, () => undefined, [row]);
      await program.parseAsync([name, '--help'], { from: 'user' });
      expect(passed).toEqual([[['--help']]]);
      return;
    }
    const { run } = await testCli();
    const { code, out } = await run(name, '--help');
    expect(code).toBe(0);
    expect(out).toContain(`\n  svc ${command.examples[0]}`);
    expect((await run('help', name)).out).toBe(out);
  });
});
