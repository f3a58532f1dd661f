/** Content types of bundle files by extension; other files are served as bytes. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html; charset=utf-8'],
  ['htm', 'text/html; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['mjs', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['json', 'application/json; charset=utf-8'],
  ['map', 'application/json; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8'],
  ['md', 'text/plain; charset=utf-8'],
  ['svg', 'image/svg+xml; charset=utf-8'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['gif', 'image/gif'],
  ['ico', 'image/x-icon'],
  ['woff', 'font/woff'],
  ['woff2', 'font/woff2'],
  ['ttf', 'font/ttf'],
  ['otf', 'font/otf'],
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['wav', 'audio/wav'],
  ['ogg', 'audio/ogg'],
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
]);

const BYTES = 'application/octet-stream';

/** The content type of a file of a bundle. */
export const typeOfPath = (path: string): string =>
  TYPES.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase()) ?? BYTES;

/** Types that browsers display but never execute. SVG is not one of them, as it may contain script. */
const SHOWN = /^(?:image\/(?:png|jpeg|webp|avif|gif)|(?:audio|video)\/[a-z0-9.-]+)$/;

/** A file as an address that has its bytes. */
export const dataUrl = (type: string, bytes: Uint8Array): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;

/** The content type of a file from the user: images and media keep their type, others are bytes, so that none runs as script, style or page. */
export const typeOfHandedFile = (type: string): string => (SHOWN.test(type) ? type : BYTES);
