-- Whether key columns are a key: no row repeats one. Tables of before keep what they have until somebody sets it.
ALTER TABLE tables ADD COLUMN key_enforced boolean NOT NULL DEFAULT false;
