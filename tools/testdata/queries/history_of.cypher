// Stands in for the shipped query of this name.
RETURN 'mine' AS whose
