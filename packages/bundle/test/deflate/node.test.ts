import * as node from '../../src/deflate/node.ts';
import { describeDeflate } from './contract.ts';

describeDeflate(node);
