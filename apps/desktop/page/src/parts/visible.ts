export { visible, visibleLines } from '@svc/text';
