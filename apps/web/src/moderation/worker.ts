import { OpenedBundles } from './files/opened.ts';
import type { Question, Reply } from './files/questions.ts';

// The worker that opens bundles: it keeps the two bundles it received and answers questions about them.
let opened: OpenedBundles | null = null;

async function answer(question: Question): Promise<Reply['answer']> {
  if (question.ask === 'open') {
    opened = new OpenedBundles(question.next, question.base);
    return opened.list();
  }
  if (!opened) throw new Error('No bundle was opened.');
  return opened.view(question.path, question.whole);
}

self.onmessage = async ({ data }: MessageEvent<Question>) => {
  const { turn } = data;
  try {
    self.postMessage({ turn, answer: await answer(data) } satisfies Reply);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The bundle cannot be read.';
    self.postMessage({ turn, answer: null, error: message } satisfies Reply);
  }
};
