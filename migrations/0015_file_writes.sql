-- The request that wrote a file's content: repeated after a crash, it finds that it was done.
ALTER TABLE files ADD COLUMN write_id text;
