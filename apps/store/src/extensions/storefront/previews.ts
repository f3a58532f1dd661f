import { createHash } from 'node:crypto';
import type { PublicFile } from '../../core/domain/versions/version-record.ts';
import { canDraw } from '../../core/pictures/preview-font.ts';
import { PLACEHOLDER, type RasterCache, type Rasters } from '../../core/pictures/rasters.ts';
import { createGate, type GateLimits, type Requester } from '../../platform/gate.ts';
import type { PictureRenderer, Preview } from '../../platform/picture-renderer.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';

/** The version of the layout. Increase it when the layout changes, to invalidate cached previews. */
const LAYOUT = 2;

/** Limits of drawing previews: one at a time, in turn with pictures of uploads; a network that requests many delays only itself. */
const PREVIEW_BOUNDS: GateLimits = {
  active: 1,
  waiting: 100,
  perNetwork: { active: 1, waiting: 20 },
};

export type LinkPreview = {
  /** The hash of everything it shows. */
  hash: string;
  /**
   * The PNG, drawn once.
   * @param requester for fair queueing
   * @throws UnavailableError when its picture cannot be drawn; the errors of the gate
   */
  png(requester: Requester): Promise<Uint8Array>;
};

export type PreviewDeps = {
  renderer: Pick<PictureRenderer, 'draw' | 'drawPreview'>;
  cache: RasterCache;
  rasters: Pick<Rasters, 'rasterOf'>;
  limits?: GateLimits;
  /** The store: its name, its host as a fallback, its accent, and its logo, with an address that changes with the bytes. */
  store(): { name: string; host: string; accent: string; logo: { name: string; bytes: Uint8Array } };
};

type Texts = Omit<Preview, 'picture' | 'accent'>;
type PublisherNamed = { name: string; slug: string; verifiedHost?: string | undefined };
type Picture = { name: string; load(): Promise<Uint8Array> };

/** The name if the font has its letters; otherwise a fallback, in letters that every font has. */
const nameOr = (name: string, fallback: string): string => (canDraw(name) ? name : fallback);

const hashOf = (picture: Picture, { title, subtitle, foot, accent }: Omit<Preview, 'picture'>): string =>
  createHash('sha256')
    .update(JSON.stringify([LAYOUT, picture.name, title, subtitle, foot, accent]))
    .digest('hex');

/** Creates the pictures that chats and social networks show for links to the store. They are drawn at the first request, and cached. */
export function createPreviews({ renderer, cache, rasters, limits = PREVIEW_BOUNDS, store }: PreviewDeps) {
  const gate = createGate(limits);
  const footOf = ({ name, host }: ReturnType<typeof store>) => nameOr(name, host);
  const inProgress = new Map<string, Promise<Uint8Array>>();

  async function draw(hash: string, picture: Picture, texts: Omit<Preview, 'picture'>): Promise<Uint8Array> {
    const drawing = await renderer.drawPreview({ ...texts, picture: await picture.load() });
    if (!drawing.ok) throw new UnavailableError(`A link preview cannot be drawn: ${drawing.why}.`);
    await cache.put(hash, drawing.png);
    return drawing.png;
  }

  const previewOf = (picture: Picture, shown: Texts): LinkPreview => {
    const texts = { ...shown, accent: store().accent };
    const hash = hashOf(picture, texts);
    return {
      hash,
      async png(requester) {
        const cached = await cache.get(hash);
        if (cached) return cached;
        const drawn =
          inProgress.get(hash) ??
          gate(() => draw(hash, picture, texts), requester).finally(() => inProgress.delete(hash));
        inProgress.set(hash, drawn);
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

  const logoOf = ({ logo: { name, bytes } }: ReturnType<typeof store>): Picture => ({
    name,
    async load() {
      const drawing = await renderer.draw(bytes);
      if (!drawing.ok) throw new UnavailableError(`The logo cannot be drawn: ${drawing.why}.`);
      return drawing.png;
    },
  });

  return {
    ofApp: (
      { appId, name, icon }: { appId: string; name: string; icon: PublicFile },
      publisher: { name: string; slug: string },
    ): LinkPreview =>
      previewOf(iconOf(icon), {
        title: nameOr(name, appId),
        subtitle: nameOr(publisher.name, publisher.slug),
        foot: footOf(store()),
      }),
    /** The preview of a publisher: its name and its verified host, with the logo of the store. */
    ofPublisher: ({ name, slug, verifiedHost = '' }: PublisherNamed): LinkPreview =>
      previewOf(logoOf(store()), {
        title: nameOr(name, slug),
        subtitle: verifiedHost,
        foot: footOf(store()),
      }),
    ofStore: (tagline: string): LinkPreview =>
      previewOf(logoOf(store()), { title: footOf(store()), subtitle: tagline, foot: store().host }),
  };
}

export type Previews = ReturnType<typeof createPreviews>;
