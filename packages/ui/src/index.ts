export { FileDrop } from './file-drop.tsx';
export { Progress } from './progress.tsx';
