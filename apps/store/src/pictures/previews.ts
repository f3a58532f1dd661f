import { createHash } from 'node:crypto';
import type { PublicFile } from '../domain/versions/version-store.ts';
import { createGate, type GateLimits, type Party } from '../platform/gate.ts';
import type { PictureRenderer, Preview } from '../platform/picture-renderer.ts';
import { UnavailableError } from '../platform/unavailable-error.ts';
import { PLACEHOLDER } from './placeholder.ts';
import { canDraw } from './preview-font.ts';
import type { RasterCache, Rasters } from './rasters.ts';

/** Grows when a preview is drawn otherwise, so that none is kept that was drawn before. */
const LAYOUT = 1;

/** A link preview: one is drawn at a time, in turn with pictures of uploads, and a network that asks for many waits behind itself. */
const PREVIEW_BOUNDS: GateLimits = {
  active: 1,
  waiting: 100,
  perNetwork: { active: 1, waiting: 20 },
};

/** What a link leads to, as its preview shows it. */
export type LinkPreview = {
  /** The hash of all that it shows: another one is another picture. */
  hash: string;
  /**
   * Its PNG, drawn once.
   * @param party who asks for it
   * @throws UnavailableError when its picture cannot be drawn; those of the gate
   */
  png(party: Party): Promise<Uint8Array>;
};

export type PreviewDeps = {
  renderer: PictureRenderer;
  cache: RasterCache;
  rasters: Pick<Rasters, 'rasterOf'>;
  limits?: GateLimits;
  /** The store itself: its name, the host that stands for it, and the bytes of its logo. */
  store: { name: string; host: string; logo: Uint8Array };
};

type Texts = Omit<Preview, 'picture'>;
type PublisherNamed = { name: string; slug: string; verifiedHost?: string | undefined };
type Picture = { name: string; load(): Promise<Uint8Array> };

/** A name as far as the font has its letters; else what stands for it, in letters that every font has. */
const nameOr = (name: string, instead: string): string => (canDraw(name) ? name : instead);

const hashOf = (picture: Picture, { title, subtitle, foot }: Texts): string =>
  createHash('sha256')
    .update(JSON.stringify([LAYOUT, picture.name, title, subtitle, foot]))
    .digest('hex');

/** Makes the pictures that chats and networks show of a link to the store: drawn when first asked for, and kept. */
export function createPreviews({ renderer, cache, rasters, limits = PREVIEW_BOUNDS, store }: PreviewDeps) {
  const gate = createGate(limits);
  const foot = nameOr(store.name, store.host);
  const underWay = new Map<string, Promise<Uint8Array>>();

  async function draw(hash: string, picture: Picture, texts: Texts): Promise<Uint8Array> {
    const drawing = await renderer.drawPreview({ ...texts, picture: await picture.load() });
    if (!drawing.ok) throw new UnavailableError(`A link preview cannot be drawn: ${drawing.why}.`);
    await cache.put(hash, drawing.png);
    return drawing.png;
  }

  const previewOf = (picture: Picture, texts: Texts): LinkPreview => {
    const hash = hashOf(picture, texts);
    return {
      hash,
      async png(party) {
        const kept = await cache.get(hash);
        if (kept) return kept;
        const drawn =
          underWay.get(hash) ??
          gate(() => draw(hash, picture, texts), party).finally(() => underWay.delete(hash));
        underWay.set(hash, drawn);
        return drawn;
      },
    };
  };

  const iconOf = (icon: PublicFile): Picture => ({
    name: icon.sha256,
    async load() {
      const png = await rasters.rasterOf(icon);
      if (Buffer.from(png).equals(PLACEHOLDER)) throw new UnavailableError('An icon cannot be drawn.');
      return png;
    },
  });

  const logo: Picture = {
    name: createHash('sha256').update(store.logo).digest('hex'),
    async load() {
      const drawing = await renderer.draw(store.logo);
      if (!drawing.ok) throw new UnavailableError(`The logo cannot be drawn: ${drawing.why}.`);
      return drawing.png;
    },
  };

  return {
    /** Of an app: its icon, its name and its publisher. */
    ofApp: (
      { appId, name, icon }: { appId: string; name: string; icon: PublicFile },
      publisher: { name: string; slug: string },
    ): LinkPreview =>
      previewOf(iconOf(icon), {
        title: nameOr(name, appId),
        subtitle: nameOr(publisher.name, publisher.slug),
        foot,
      }),
    /** Of a publisher: its name, and the host that was verified, under the logo of the store. */
    ofPublisher: ({ name, slug, verifiedHost = '' }: PublisherNamed): LinkPreview =>
      previewOf(logo, { title: nameOr(name, slug), subtitle: verifiedHost, foot }),
    /** Of the store itself. */
    ofStore: (tagline: string): LinkPreview =>
      previewOf(logo, { title: foot, subtitle: tagline, foot: store.host }),
  };
}

export type Previews = ReturnType<typeof createPreviews>;
