/** Of the document that the types are made from; a service of another version may answer otherwise. */
export const version = '0.1.0';
