import { lastResults, lastUserText, type ModelRequest, type ModelScript } from './script-model.ts';

const HELP = `**This is a script, not an AI.** It knows a few sentences, so that you can try the client without a model. Try:

- attach two pictures and write *pin these two pictures to my board*
- *what is on my board?*
- *draw a contact sheet*

For real answers, add a provider under **Models**.`;

/** Ids of the files that a message lists as attached. */
const attachedIds = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const [, json] = line.split('Attached file: ', 2);
    if (json === undefined) return [];
    const { id } = JSON.parse(json) as { id?: string };
    return id === undefined ? [] : [id];
  });

const WANTED: readonly [RegExp, string][] = [
  [/\bpin\b/i, 'pin_pictures'],
  [/contact sheet/i, 'contact_sheet'],
  [/\bboard\b/i, 'list_pins'],
];

const inPieces = (text: string): string[] => text.match(/\S+\s*/g) ?? [];

function afterCalls(results: readonly string[]): string {
  const failed = results.some((result) => (JSON.parse(result) as { failed?: boolean }).failed === true);
  return failed
    ? 'That did not work, or you declined it. The row above says why. *(A script wrote this, not an AI.)*'
    : 'Done. The row above shows what the app answered. *(A script wrote this, not an AI.)*';
}

function answerTo(request: ModelRequest) {
  const results = lastResults(request);
  if (results.length > 0) return { text: inPieces(afterCalls(results)) };
  const text = lastUserText(request);
  const ids = attachedIds(text);
  const wanted = WANTED.find(([pattern]) => pattern.test(text))?.[1];
  const tool = request.tools?.find(({ function: { name } }) => name.endsWith(`__${wanted}`))?.function.name;
  if (wanted === undefined) return { text: inPieces(HELP) };
  if (tool === undefined)
    return {
      text: inPieces(
        'Pinboard is not installed or is off in this project. Install it from the **Store** first.',
      ),
    };
  if (wanted === 'pin_pictures' && ids.length === 0)
    return {
      text: inPieces('Attach the pictures first: drop them here, paste them, or use the paper clip.'),
    };
  const args = wanted === 'pin_pictures' ? { pictures: ids, text: 'Pinned from a conversation' } : {};
  return { text: inPieces('I call the app now. '), calls: [{ name: tool, arguments: args }] };
}

/** The script of the demonstration: pins pictures to the board of the example app. */
export const demoScript: ModelScript = (request) => ({ ...answerTo(request), delayMs: 12 });
