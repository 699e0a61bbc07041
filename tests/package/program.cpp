bool ballRests();

int main() { return ballRests() ? 0 : 1; }
