import { openBrowser } from '../../apps/web/test/support/real-browser.ts';

/** Maximum size of an icon on pages, in device pixels. */
const SIDE = 512;
/** Timeout of a drawing, in milliseconds. */
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
   * CPU time of the whole browser in milliseconds from SVG text to pixels, minus that of an empty SVG: the best of several
   * runs.
   */
  msOf(svg: string, tries?: number): Promise<number>;
  close(): Promise<void>;
};

/** Opens a Chromium without GPU, the slowest case. */
export async function openDrawer(): Promise<Drawer> {
  const browser = await openBrowser(['--disable-gpu-rasterization', '--num-raster-threads=1']);
  const page = await browser.newPage({ viewport: { width: SIDE, height: SIDE } });
  await page.setContent(PAGE);
  const processes = await browser.newBrowserCDPSession();
  const tools = await page.context().newCDPSession(page);

  /** CPU time of all browser processes, independent of other load. */
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
    // A browser that is closed meanwhile does not respond.
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
