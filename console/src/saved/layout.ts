/** As the service has them. */
export const gridColumns = 24;
/** Of a tile, in rows. */
export const mostHeight = 100;

export interface Box {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

const meet = (one: Omit<Box, 'id'>, other: Omit<Box, 'id'>): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/** Within the grid, and as large as a tile may be. */
export function bounded<Tile extends Box>(box: Tile): Tile {
  const width = Math.min(gridColumns, Math.max(1, box.width));
  return {
    ...box,
    width,
    height: Math.min(mostHeight, Math.max(1, box.height)),
    x: Math.min(gridColumns - width, Math.max(0, box.x)),
    y: Math.max(0, box.y),
  };
}

/** One tile where it is put. Those in its way move down, and those in theirs. */
export function placed<Tile extends Box>(tiles: readonly Tile[], changed: Tile): Tile[] {
  const fixed = bounded(changed);
  const done: Tile[] = [fixed];
  const others = tiles.filter(({ id }) => id !== changed.id);
  for (const tile of [...others].sort((a, b) => a.y - b.y || a.x - b.x)) {
    let box = tile;
    for (
      let hit = done.find((one) => meet(one, box));
      hit !== undefined;
      hit = done.find((one) => meet(one, box))
    )
      box = { ...box, y: hit.y + hit.height };
    done.push(box);
  }
  const now = new Map(done.map((tile) => [tile.id, tile]));
  return tiles.some(({ id }) => id === changed.id)
    ? tiles.map(({ id }) => now.get(id)!)
    : [...tiles.map(({ id }) => now.get(id)!), fixed];
}

/** The first place with room for a tile of this size. */
export function roomFor(
  tiles: readonly Box[],
  size: { width: number; height: number },
): { x: number; y: number } {
  const end = Math.max(0, ...tiles.map(({ y, height }) => y + height));
  for (let y = 0; y < end; y += 1)
    for (let x = 0; x + size.width <= gridColumns; x += 1)
      if (!tiles.some((tile) => meet(tile, { x, y, ...size }))) return { x, y };
  return { x: 0, y: end };
}

/** How large a tile begins. */
export function sizeFor(type: string | undefined): { width: number; height: number } {
  if (type === 'number') return { width: 6, height: 4 };
  return type === 'text' ? { width: 24, height: 3 } : { width: 12, height: 8 };
}
