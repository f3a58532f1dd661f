import { OpenedBundles } from './files/opened.ts';
import type { WorkerReply, WorkerRequest } from './files/reader.ts';

// The worker that opens bundles: it keeps the two bundles it received and answers questions about them.
let opened: OpenedBundles | null = null;

async function answer(request: WorkerRequest): Promise<WorkerReply['answer']> {
  if (request.kind === 'open') {
    opened = new OpenedBundles(request.next, request.base);
    return opened.list();
  }
  if (!opened) throw new Error('No bundle was opened.');
  return opened.view(request.path, request.whole);
}

self.onmessage = async ({ data }: MessageEvent<WorkerRequest>) => {
  const { turn } = data;
  try {
    self.postMessage({ turn, answer: await answer(data) } satisfies WorkerReply);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The bundle cannot be read.';
    self.postMessage({ turn, answer: null, error: message } satisfies WorkerReply);
  }
};
