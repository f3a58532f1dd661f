import { extensions, lookup } from 'mime-types';

/**
 * Media types with several names, the canonical one first. No database lists these aliases; the types and their file extensions
 * come from `mime-db`.
 */
const ALIASES: readonly (readonly [usual: string, ...others: string[]])[] = [
  ['application/json', 'text/json', 'application/x-json', 'text/x-json'],
  [
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/x-jsonlines',
    'application/jsonlines',
    'application/json-lines',
    'application/json-seq',
    'text/x-ndjson',
  ],
  ['application/yaml', 'text/yaml', 'application/x-yaml', 'text/x-yaml', 'text/vnd.yaml'],
  ['application/toml', 'text/toml', 'text/x-toml', 'application/x-toml'],
  ['application/sql', 'text/sql', 'text/x-sql', 'application/x-sql'],
  ['application/xml', 'text/xml'],
  [
    'text/javascript',
    'application/javascript',
    'application/x-javascript',
    'text/ecmascript',
    'application/ecmascript',
  ],
  ['text/x-typescript', 'application/typescript', 'text/typescript', 'application/x-typescript'],
  [
    'text/x-python',
    'application/x-python',
    'text/x-script.python',
    'application/x-python-code',
    'text/python',
  ],
  ['application/x-sh', 'text/x-sh', 'text/x-shellscript', 'application/x-shellscript'],
  ['text/markdown', 'text/x-markdown'],
  ['text/csv', 'application/csv', 'text/x-csv', 'text/comma-separated-values'],
  ['text/calendar', 'application/ics'],
  ['text/vcard', 'text/x-vcard', 'text/directory'],
  ['application/rtf', 'text/rtf', 'application/x-rtf'],
  ['application/pdf', 'application/x-pdf'],
  ['application/zip', 'application/x-zip-compressed', 'application/x-zip'],
  ['application/gzip', 'application/x-gzip'],
  ['application/vnd.rar', 'application/x-rar-compressed', 'application/x-rar'],
  ['application/x-bzip2', 'application/x-bzip'],
  ['application/vnd.sqlite3', 'application/x-sqlite3'],
  ['application/x-cfb', 'application/x-ole-storage'],
  ['image/jpeg', 'image/jpg', 'image/pjpeg'],
  // An animated PNG is a valid PNG.
  ['image/png', 'image/x-png', 'image/apng'],
  ['image/bmp', 'image/x-ms-bmp', 'image/x-bmp'],
  ['image/x-icon', 'image/vnd.microsoft.icon'],
  ['image/tiff', 'image/tif'],
  // One container: brands tell sequences apart, not what a program can do with them.
  ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'],
  ['image/svg+xml', 'image/svg'],
  ['audio/mpeg', 'audio/mp3', 'audio/x-mpeg', 'audio/x-mp3', 'audio/mpeg3'],
  ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
  ['audio/mp4', 'audio/x-m4a', 'audio/m4a'],
  ['audio/aac', 'audio/aacp', 'audio/x-aac', 'audio/x-hx-aac-adts'],
  ['audio/flac', 'audio/x-flac'],
  ['audio/midi', 'audio/x-midi', 'audio/mid'],
  ['audio/aiff', 'audio/x-aiff'],
  ['video/mp4', 'application/mp4', 'video/x-m4v'],
  ['video/matroska', 'video/x-matroska'],
  ['video/vnd.avi', 'video/x-msvideo', 'video/avi', 'video/msvideo'],
  ['font/ttf', 'application/x-font-ttf', 'application/x-font-truetype', 'font/sfnt', 'application/font-sfnt'],
  ['font/otf', 'application/x-font-otf', 'application/x-font-opentype', 'application/vnd.ms-opentype'],
  ['font/woff', 'application/font-woff', 'application/x-font-woff'],
  ['font/woff2', 'application/font-woff2', 'application/x-font-woff2'],
];

/** File extensions that the database lacks, or maps to another type. */
const MORE_ENDINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ndjson: 'application/x-ndjson',
    jsonl: 'application/x-ndjson',
    py: 'text/x-python',
    pyi: 'text/x-python',
    pyw: 'text/x-python',
    ts: 'text/x-typescript',
    mts: 'text/x-typescript',
    tsx: 'text/x-typescript',
    rs: 'text/x-rust',
    go: 'text/x-go',
    rb: 'text/x-ruby',
  }),
);

const usualNames = new Map(ALIASES.flatMap(([usual, ...others]) => others.map((name) => [name, usual])));

/** A media type in lower case, without parameters, by its canonical name. */
export function usualName(type: string): string {
  const plain = (type.split(';')[0] ?? '').trim().toLowerCase();
  return usualNames.get(plain) ?? plain;
}

/** Types by file extension. */
const byEnding = new Map<string, Set<string>>();

/** The database, loaded on first use. */
function typesByEnding(): typeof byEnding {
  if (byEnding.size > 0) return byEnding;
  const add = (ending: string, type: string) =>
    byEnding.set(ending, (byEnding.get(ending) ?? new Set()).add(usualName(type)));
  for (const [ending, type] of MORE_ENDINGS) add(ending, type);
  for (const [type, endings] of Object.entries(extensions)) for (const ending of endings) add(ending, type);
  return byEnding;
}

/** The file extension in lower case, without its dot. */
export const endingOf = (name: string): string =>
  /\.([a-z0-9_-]{1,20})$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/** All types of a file extension, the most usual first. */
export function typesOfName(name: string): string[] {
  const ending = endingOf(name);
  if (ending === '') return [];
  const type = lookup(`x.${ending}`);
  const first = MORE_ENDINGS.get(ending) ?? (type === false ? [] : usualName(type));
  return [...new Set([first].flat().concat([...(typesByEnding().get(ending) ?? [])]))];
}

/** Whether the database has a file extension for a type. */
export const hasEnding = (type: string): boolean =>
  [...typesByEnding().values()].some((types) => types.has(type));

/** The file extensions of a type, the usual one first. */
export function endingsOf(type: string): string[] {
  const usual = usualName(type);
  return [...typesByEnding()].filter(([, types]) => types.has(usual)).map(([ending]) => ending);
}
