// Programs of packs are found by their name.
CREATE INDEX sys_program_name IF NOT EXISTS FOR (p:SYS_Program) ON (p.name);
