/** Size of a page of 1,000 keys of the maximum length, 1,024 bytes, with their markup. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a whole short response.
 * @throws when it is longer than any response of S3
 */
export async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) throw new Error('an answer that is too long');
  }
  return text + decoder.decode();
}

/** The texts of all elements with a name. Only for values without markup or entities, such as keys that are requested URL-encoded. */
export const xmlValues = (text: string, name: string): string[] =>
  Array.from(text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, value]) => value ?? '');

/** The text of the first element with a name. */
export const xmlValue = (text: string, name: string): string | undefined => xmlValues(text, name)[0];
