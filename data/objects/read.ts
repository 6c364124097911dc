import type { ObjectStore } from './store.ts';

/** Reads a small object as a whole. */
export async function readBytes(objects: Pick<ObjectStore, 'read'>, key: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await objects.read(key)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export async function readText(objects: Pick<ObjectStore, 'read'>, key: string): Promise<string> {
  return (await readBytes(objects, key)).toString('utf8');
}
