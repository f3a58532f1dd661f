export { CodeBlock } from './code-block.tsx';
export { FileDrop } from './file-drop.tsx';
export { Progress } from './progress.tsx';
export { TabNav } from './tab-nav.tsx';
