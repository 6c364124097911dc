import { openHostileDocuments } from './hostile.ts';

openHostileDocuments(0.1);
