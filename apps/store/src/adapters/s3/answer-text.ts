/** A page of 1,000 keys as long as S3 allows them, 1,024 bytes, and what surrounds each. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a short answer to its end.
 * @throws when it is longer than any that S3 gives
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

/** The texts of all elements of a name. Only for values without markup or entities, such as keys asked for URL-encoded. */
export const xmlValues = (text: string, name: string): string[] =>
  Array.from(text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, value]) => value ?? '');

/** The text of the first element of a name. */
export const xmlValue = (text: string, name: string): string | undefined => xmlValues(text, name)[0];
