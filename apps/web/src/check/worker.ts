import { type CheckRequest, checkFile } from './check-file.ts';

// The worker that opens bundles: it receives a `CheckRequest` and answers with a `Report`.
self.onmessage = ({ data }: MessageEvent<CheckRequest>) => self.postMessage(checkFile(data));
