import { createRequire } from 'node:module';

// The parser that this package brings along for the API's own document.
const yaml = createRequire(import.meta.resolve('@fastify/swagger'))('yaml') as {
  parse(text: string, options: { merge: boolean }): unknown;
  parseAllDocuments(text: string): { errors: readonly Error[]; toJS(): unknown }[];
};

/** The one document of a text, with merge keys (`<<`) resolved. */
export function readYaml<T>(text: string): T {
  return yaml.parse(text, { merge: true }) as T;
}

/** @throws Error if one of the documents is not YAML */
export function readYamlDocuments<T>(text: string): T[] {
  return yaml.parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as T;
  });
}
