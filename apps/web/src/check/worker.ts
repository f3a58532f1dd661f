import { checkFile, type Question } from './check-file.ts';

// The worker that opens bundles: it receives a `Question` and answers with a `Report`.
self.onmessage = ({ data }: MessageEvent<Question>) => self.postMessage(checkFile(data));
