import { findOrStartDesktop } from '../gateway/find-or-start-desktop.ts';
import { checkedLink, LinkError, pageOfLink, readLink, type StoreLink } from '../links/read-link.ts';
import { type Command, UsageError } from './command.ts';
import { defaultFolder, readOptions } from './options.ts';
import { openPageOf } from './start.ts';

export const usage =
  'Usage: svc install APP [--store URL] [--folder DIR] [--no-open], or svc install svc://install/APP?store=URL';

function linkOf(words: readonly string[], store: string): StoreLink {
  const [asked, ...more] = words;
  if (asked === undefined || more.length > 0) throw new UsageError(usage);
  try {
    return asked.startsWith('svc:')
      ? readLink(asked)
      : checkedLink({ action: 'install', appId: asked, store });
  } catch (error) {
    if (error instanceof LinkError) throw new UsageError(error.message);
    throw error;
  }
}

/**
 * `install APP`: shows the install sheet of an app in the desktop, which is started if it does not run. The system runs it for the
 * `svc:` links of web pages too, so nothing is installed here.
 */
export const run: Command = async (context, words) => {
  const { options, rest } = readOptions(context, words);
  const link = linkOf(rest, options.store);
  const folder = options.folder ?? defaultFolder(context, 'desktop');
  const running = await findOrStartDesktop(context, folder, options);
  const page = `${await running.newLink()}&to=${pageOfLink(link)}`;
  if (options.open && (await openPageOf({ ...context, folder })(page))) {
    context.say('Opened in your browser.');
    return 0;
  }
  if (options.open) context.warn('Cannot open a browser. Open the link yourself.');
  context.say(`Desktop: ${page}`);
  return 0;
};
