import { openBrowser } from '../../apps/web/test/support/real-browser.ts';

/** Side at which pages show an icon at most, in pixels of the screen. */
const SIDE = 512;
/** Longest that a drawing is waited for, in milliseconds: beyond that it is too slow, whatever it is. */
const MAX_MS = 20_000;
const EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>';

const PAGE = `<!doctype html><body style="margin:0"><script>
  window.show = async (source) => {
    const image = new Image(${SIDE}, ${SIDE});
    image.src = URL.createObjectURL(new Blob([source], { type: 'image/svg+xml' }));
    await image.decode().catch(() => undefined);
    document.body.replaceChildren(image);
  };
</script>`;

export type Drawer = {
  /**
   * Milliseconds of processor time of the whole browser from the text of an SVG to its pixels, less those of an empty one:
   * the best of some tries.
   */
  msOf(svg: string, tries?: number): Promise<number>;
  close(): Promise<void>;
};

/** Opens a Chromium that draws without a graphics card, as pictures are drawn on the plainest of machines. */
export async function openDrawer(): Promise<Drawer> {
  const browser = await openBrowser(['--disable-gpu-rasterization', '--num-raster-threads=1']);
  const page = await browser.newPage({ viewport: { width: SIDE, height: SIDE } });
  await page.setContent(PAGE);
  const processes = await browser.newBrowserCDPSession();
  const tools = await page.context().newCDPSession(page);

  /** Of all processes of the browser, by which it does not matter what else the machine does. */
  async function cpuMs(): Promise<number> {
    const { processInfo } = await processes.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((total, { cpuTime }) => total + cpuTime, 0) * 1_000;
  }
  async function once(svg: string): Promise<number> {
    const began = await cpuMs();
    await page.evaluate((source) => (globalThis as unknown as { show(s: string): void }).show(source), svg);
    const drawn = tools.send('Page.captureScreenshot', {
      format: 'jpeg',
      quality: 1,
      optimizeForSpeed: true,
    });
    // A browser that is closed meanwhile answers nothing.
    drawn.catch(() => undefined);
    const late = new Promise<'late'>((resolve) => setTimeout(resolve, MAX_MS, 'late').unref());
    if ((await Promise.race([drawn, late])) === 'late')
      throw new Error(`A picture of ${svg.length} bytes took over ${MAX_MS} ms: ${svg.slice(0, 500)}`);
    return (await cpuMs()) - began;
  }
  async function best(svg: string, tries: number): Promise<number> {
    let ms = Number.POSITIVE_INFINITY;
    for (let n = 0; n < tries; n += 1) ms = Math.min(ms, await once(svg));
    return ms;
  }

  const empty = await best(EMPTY, 20);
  return {
    msOf: async (svg, tries = 3) => Math.max(0, (await best(svg, tries)) - empty),
    close: () => browser.close(),
  };
}
