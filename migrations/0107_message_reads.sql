-- The tables that the tools of a reply read. Null for replies of before: all that their turn was pinned to.
ALTER TABLE messages ADD COLUMN reads text[];
