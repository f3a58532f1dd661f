import { checkFile, type Question } from './check-file.ts';

// The thread that opens bundles: asked with a `Question`, it answers with a `Report`.
self.onmessage = ({ data }: MessageEvent<Question>) => self.postMessage(checkFile(data));
