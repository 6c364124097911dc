import { openHostileDocuments } from './hostile.ts';

openHostileDocuments(1);
