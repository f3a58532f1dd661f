import sharp from 'sharp';

/** How an app looks: its accent, the drawing of its icon on a field of 24, and what its screenshots show. */
export type Look = { accent: string; glyph: string; shows: readonly Shown[] };

/** Kinds of screenshots; `phone` is in portrait format. */
export type Shown = 'list' | 'board' | 'chart' | 'map' | 'gallery' | 'editor' | 'phone';

const WIDTH = 1_280;
const HEIGHT = 800;

/** The icon: a white drawing on the accent, lighter at the top. */
export const iconOf = ({ accent, glyph }: Look): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" width="512" height="512"><defs><linearGradient id="a" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".28"/><stop offset="1" stop-color="#000" stop-opacity=".18"/></linearGradient></defs><rect width="512" height="512" fill="${accent}"/><rect width="512" height="512" fill="url(#a)"/><g transform="translate(88 88) scale(14)" fill="none" stroke="#fff" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round">${glyph}</g></svg>\n`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const text = (x: number, y: number, size: number, words: string, more = ''): string =>
  `<text x="${x}" y="${y}" font-size="${size}" font-family="Inter, DejaVu Sans, sans-serif" ${more}>${escaped(words)}</text>`;

const box = (x: number, y: number, width: number, height: number, fill: string, radius = 12): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`;

/** A number from 0 to 1 that is always the same for the same place. */
const at = (n: number): number => Math.abs(Math.sin((n + 1) * 127.1) * 43_758.5) % 1;

type Scene = { accent: string; lines: readonly string[]; width: number; height: number };

const rows = ({ accent, lines, width, height }: Scene, x = 320): string =>
  Array.from({ length: Math.floor((height - 150) / 84) }, (_, n) => {
    const [y, words = ''] = [120 + n * 84, lines[n % lines.length]];
    return [
      box(x, y, width - x - 48, 68, '#fff'),
      `<circle cx="${x + 38}" cy="${y + 34}" r="15" fill="${n % 3 === 0 ? accent : 'none'}" stroke="${accent}" stroke-width="3"/>`,
      text(x + 72, y + 42, 22, words, 'fill="#1c2420"'),
      box(width - 160, y + 24, 80, 20, `${accent}33`, 10),
    ].join('');
  }).join('');

const SCENES: Readonly<Record<Shown, (scene: Scene) => string>> = {
  list: (scene) => rows(scene),
  phone: (scene) => rows(scene, 32),
  board: ({ accent, lines }) =>
    [0, 1, 2]
      .map((column) => {
        const x = 320 + column * 304;
        const cards = Array.from({ length: 4 - column }, (_, n) => {
          const y = 176 + n * 138;
          const words = lines[(column * 2 + n) % lines.length] ?? '';
          return [
            box(x + 14, y, 252, 120, '#fff'),
            box(x + 30, y + 18, 64, 12, n % 2 === 0 ? accent : `${accent}66`, 6),
            text(x + 30, y + 66, 17, words.slice(0, 24), 'fill="#1c2420"'),
            box(x + 30, y + 86, 120, 10, '#dfe3df', 5),
          ].join('');
        }).join('');
        const head = text(
          x + 16,
          152,
          20,
          ['Next', 'Now', 'Done'][column] ?? '',
          'font-weight="600" fill="#4a544e"',
        );
        return `${box(x, 112, 280, 650, '#e9ece8')}${head}${cards}`;
      })
      .join(''),
  chart: ({ accent, lines }) => {
    const points = Array.from(
      { length: 15 },
      (_, n) => `${350 + n * 60},${600 - at(n + lines.length) * 220 - n * 9}`,
    );
    return [
      box(320, 112, 912, 560, '#fff'),
      ...[220, 320, 420, 520].map((y) => `<path d="M350 ${y}H1200" stroke="#e3e6e2" stroke-width="2"/>`),
      `<polygon points="350,640 ${points.join(' ')} 1190,640" fill="${accent}2a"/>`,
      `<polyline points="${points.join(' ')}" fill="none" stroke="${accent}" stroke-width="6" stroke-linejoin="round"/>`,
      ...lines
        .slice(0, 3)
        .map((words, n) => text(340 + n * 300, 724, 20, words.slice(0, 22), 'fill="#4a544e"')),
    ].join('');
  },
  map: ({ accent, lines }) =>
    [
      box(320, 112, 912, 650, '#dfe9e0'),
      '<path d="M320 560Q560 470 700 600T1232 540V762H320z" fill="#b9d5e6"/>',
      '<path d="M340 180L780 420L1220 220M560 112L640 520M900 112L980 500" stroke="#fff" stroke-width="14" fill="none"/>',
      ...lines.slice(0, 4).map((words, n) => {
        const [x, y] = [430 + n * 200, 210 + at(n + 3) * 260];
        return `<circle cx="${x}" cy="${y}" r="16" fill="${accent}" stroke="#fff" stroke-width="5"/>${text(x + 26, y + 7, 18, words.slice(0, 18), 'fill="#1c2420" font-weight="600"')}`;
      }),
    ].join(''),
  gallery: ({ accent }) =>
    Array.from({ length: 9 }, (_, n) => {
      const [x, y] = [320 + (n % 3) * 304, 112 + Math.floor(n / 3) * 218];
      const hue = Math.round(at(n + 5) * 360);
      return [
        box(x, y, 288, 202, `hsl(${hue} 40% 74%)`),
        `<circle cx="${x + 70 + at(n) * 140}" cy="${y + 62}" r="26" fill="#fff8e2"/>`,
        `<path d="M${x} ${y + 202}L${x + 96} ${y + 110}L${x + 160} ${y + 160}L${x + 222} ${y + 96}L${x + 288} ${y + 202}z" fill="${n % 4 === 0 ? accent : `hsl(${hue} 35% 42%)`}"/>`,
      ].join('');
    }).join(''),
  editor: ({ accent, lines }) =>
    [
      box(320, 112, 912, 650, '#fff'),
      text(372, 190, 38, lines[0] ?? '', 'font-weight="700" fill="#1c2420"'),
      box(372, 214, 120, 6, accent, 3),
      ...Array.from({ length: 9 }, (_, n) =>
        n % 4 === 3
          ? text(372, 276 + n * 54, 22, lines[(n + 1) % lines.length] ?? '', 'fill="#1c2420"')
          : box(372, 260 + n * 54, 480 + at(n + 9) * 300, 14, '#dfe3df', 7),
      ),
    ].join(''),
};

/** What the window of an app shows, as SVG. */
function drawingOf({ accent }: Look, name: string, lines: readonly string[], shown: Shown): string {
  const [width, height] = shown === 'phone' ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT];
  const aside =
    shown === 'phone'
      ? ''
      : `${box(0, 72, 288, height - 72, '#eef0ec', 0)}${lines
          .slice(0, 5)
          .map(
            (words, n) =>
              `${n === 0 ? box(20, 104, 248, 44, `${accent}26`) : ''}${text(40, 134 + n * 54, 18, words.slice(0, 22), 'fill="#37413b"')}`,
          )
          .join('')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${box(0, 0, width, height, '#f7f8f5', 0)}${box(0, 0, width, 72, accent, 0)}${text(40, 47, 28, name, 'fill="#fff" font-weight="700"')}${aside}${SCENES[shown]({ accent, lines, width, height })}</svg>`;
}

/** The screenshots of an app as PNG, by their paths in the bundle. */
export async function screenshotsOf(
  look: Look,
  name: string,
  lines: readonly string[],
): Promise<Record<string, Uint8Array>> {
  const pictures = look.shows.map(async (shown, n) => {
    const drawn = sharp(Buffer.from(drawingOf(look, name, lines, shown)));
    return [`assets/screenshot-${n + 1}.png`, await drawn.png().toBuffer()] as const;
  });
  return Object.fromEntries(await Promise.all(pictures));
}
