-- The highest s_id that a reservation has given out. A range is given once, whether it is used or not.
ALTER TABLE tables ADD COLUMN reserved_row_ids bigint;
