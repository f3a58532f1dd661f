import './platform/require-node.ts';

export * from './page/create-page-server.ts';
