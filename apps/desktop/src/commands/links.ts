import { createLinks } from '../links/links.ts';
import { type Command, UsageError } from './command.ts';
import { defaultFolder, readOptions } from './options.ts';

export const usage = 'Usage: svc links [on|off] [--store URL] [--folder DIR]';

/** `links on|off`: lets "Open in the client" of web pages open this desktop, or no longer. */
export const run: Command = async (context, words) => {
  const { options, rest } = readOptions(context, words);
  const [turn, ...more] = rest;
  if (more.length > 0 || (turn !== undefined && turn !== 'on' && turn !== 'off')) throw new UsageError(usage);
  const folder = options.folder ?? defaultFolder(context, 'desktop');
  const links = createLinks({ ...context, folder, store: options.store });
  if (turn !== undefined) {
    const { install } = await links.view();
    if (turn === 'on' && install !== null)
      throw new UsageError(
        `npx runs svc from its cache, which npm may delete. Install svc first: ${install}`,
      );
    await links.turn(turn === 'on');
  }
  const { isOn } = await links.view();
  context.say(
    isOn ? 'svc links of web pages open this desktop.' : 'svc links of web pages do not open this desktop.',
  );
  return 0;
};
