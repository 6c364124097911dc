import type { LineageGraph } from './graph.ts';
import { pictureOf } from './picture.ts';

export interface PictureTask extends Pick<LineageGraph, 'nodes' | 'edges'> {
  askedId: string;
}

/** Entry point of the thread. */
export const drawInThread = ({ askedId, ...graph }: PictureTask): string => pictureOf(graph, askedId);
