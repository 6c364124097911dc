/** What a relation of the catalog has: expressions by column, over rows of something. */
export interface ViewDefinition {
  from: string;
  columns: Readonly<Record<string, string>>;
}
