/** A name at the end of a sentence, with one full stop: `Acme.`, `Acme Ltd.`. */
export const ended = (name: string): string => (name.endsWith('.') ? name : `${name}.`);
